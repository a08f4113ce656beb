/** Binds a peer to loopback, tells the bench where it listens, and ends it with the bench. */
export const listen = (server) => {
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
  process.on('disconnect', () => process.exit())
}
