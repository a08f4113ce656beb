/** Listens on loopback, sends the address to the benchmark, and exits when the benchmark does. */
export const listen = (server) => {
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
  process.on('disconnect', () => process.exit())
}
