import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lingerAfterEarlyResponse } from '#proxy/node-streams/client-connection.ts'
import { openRawClient } from '#test/support/raw-client.ts'
import { listenHttp } from './loopback.ts'

const respond: RequestListener = (_incoming, outgoing) => {
  outgoing.writeHead(413, { connection: 'close' }).end('too large')
}

/** Sends an endless body. `error` returns the error that the client's connection failed with, or null. */
const sendUpload = async (onRequest: RequestListener) => {
  const port = await listenHttp(onRequest)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  let error: NodeJS.ErrnoException | null = null
  socket.on('error', (reason) => {
    error = reason
  })
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n')
  const sending = setInterval(() => socket.writable && socket.write(Buffer.alloc(65_536)), 2)
  onTestFinished(() => {
    clearInterval(sending)
    socket.destroy()
  })
  return { received: () => received, error: () => error }
}

const connectionError = { code: expect.stringMatching(/^(?:ECONNRESET|EPIPE)$/) }

describe('a response before the end of the request body', () => {
  it('is followed, without the patch, by a reset of the connection', async () => {
    const { error } = await sendUpload(respond)
    await expect.poll(error, { timeout: 5000 }).toMatchObject(connectionError)
  })

  it("makes Node call the socket's destroySoon while the body is incomplete", async () => {
    const calls: boolean[] = []
    await sendUpload((incoming, outgoing) => {
      const { socket } = incoming
      const { destroySoon } = socket
      socket.destroySoon = () => {
        calls.push(incoming.complete)
        destroySoon.call(socket)
      }
      respond(incoming, outgoing)
    })
    await expect.poll(() => calls).toEqual([false])
  })

  it('reaches, with the patch, a client that keeps sending', async () => {
    const { received, error } = await sendUpload((incoming, outgoing) => {
      lingerAfterEarlyResponse(incoming, outgoing)
      respond(incoming, outgoing)
    })
    await expect.poll(received).toContain('too large')
    await sleep(200)
    expect(error()).toBeNull()
  })

  it('is followed, with the patch, by a graceful close once the client has sent its body', async () => {
    const port = await listenHttp((incoming, outgoing) => {
      lingerAfterEarlyResponse(incoming, outgoing)
      respond(incoming, outgoing)
    })
    const client = await openRawClient(port)
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nhalf')
    expect((await client.receiveResponse()).status).toBe(413)
    client.send('half')
    await client.waitForClose()
    expect(client.socket.errored).toBeNull()
  })
})
