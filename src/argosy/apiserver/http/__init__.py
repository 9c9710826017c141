"""HTTP/1.1 over TLS, straight on asyncio: parsing with httptools, no framework between a socket and a request."""
