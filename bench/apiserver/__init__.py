"""Argosy's API server beside kube-apiserver and etcd, on the same two cores, with fsync on both."""
