"""The same requests to a real kube-apiserver and to Argosy, and the answers side by side."""
