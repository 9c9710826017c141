"""The peer: a real kube-apiserver and etcd, as an oracle for tests and as a rival in benchmarks."""
