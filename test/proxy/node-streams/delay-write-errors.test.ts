import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { delayWriteErrors } from '#proxy/node-streams/delay-write-errors.ts'
import { listenTcp } from './loopback.ts'

/** Writes to a server that has responded and closed on unread bytes; resolves once the response could be read. */
const writeAfterReset = async (prepare: (socket: Socket) => void) => {
  const port = await listenTcp((peer) => {
    peer.pause()
    setTimeout(() => peer.write('response', () => peer.destroy()), 50)
  })
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => {
    socket.destroy()
  })
  prepare(socket)
  let received = ''
  let error: NodeJS.ErrnoException | null = null
  socket.on('error', (reason) => {
    error = reason
  })
  await once(socket, 'connect')
  socket.write('x'.repeat(100_000))
  await sleep(150)
  socket.write('more')
  await sleep(50)
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.resume()
  return { received: () => received, error: () => error }
}

describe('a failed write', () => {
  it('makes Node discard what was received before', async () => {
    const { received, error } = await writeAfterReset(() => {})
    await expect.poll(error).toMatchObject({ syscall: 'write' })
    await sleep(50)
    expect(received()).toBe('')
  })

  it('leaves the time to read what was received before, with the patch', async () => {
    const { received, error } = await writeAfterReset(delayWriteErrors)
    await expect.poll(received).toBe('response')
    await expect.poll(error).toMatchObject({ code: expect.stringMatching(/^(?:ECONNRESET|EPIPE)$/) })
  })
})
