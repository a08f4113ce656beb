import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { reserveFiles } from '#gateway/node/connections.ts'

it.each([
  [8, 6],
  [1024, 768],
  [65_536, 65_024],
])('a server with a limit of %i files accepts at most %i client connections', (limit, maxConnections) => {
  const server = createServer()
  reserveFiles(server, limit)
  expect(server.maxConnections).toBe(maxConnections)
})

it('a server with an unknown file limit does not limit connections', () => {
  const server = createServer()
  const { maxConnections } = server
  reserveFiles(server, Number.NaN)
  expect(server.maxConnections).toBe(maxConnections)
})

it('a server closes a connection beyond its limit and serves the others', async () => {
  const server = createServer((_, response) => response.end())
  reserveFiles(server, 8)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const within = [await open(), await open(), await open(), await open(), await open(), await open()]
  await once(await open(), 'close')
  within[5]!.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(String((await once(within[5]!, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
})
