import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendHead } from '#proxy/undici/client-response.ts'
import { listenHttp } from '../node-streams/loopback.ts'

const readHead = async (send: (outgoing: ServerResponse) => void) => {
  const port = await listenHttp((_incoming, outgoing) => {
    outgoing.writeHead(200, ['x-a', '\xe9', 'content-length', '2'])
    send(outgoing)
  })
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const [chunk] = await once(socket, 'data')
  return chunk.toString('latin1')
}

describe('sendHead', () => {
  it("writes header bytes unchanged, unlike Node's flushHeaders", async () => {
    expect(await readHead(sendHead)).toContain('x-a: \xe9\r\n')
    expect(await readHead((outgoing) => outgoing.flushHeaders())).toContain('x-a: \xc3\xa9\r\n')
  })
})
