"""The programs we are compared with: one module a peer, one process a run."""
