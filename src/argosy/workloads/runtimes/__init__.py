"""What runs pods on this cluster's nodes: agents in the kubelets' place, and the runtimes they hand pods to."""
