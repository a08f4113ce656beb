import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { delayWriteErrors } from '#proxy/node-streams/core-connection.ts'
import { listenTcp } from './loopback.ts'

/**
 * Opens a paused connection to a server that has responded and then closed it without reading what had arrived, so the
 * next write fails.
 */
const connectToResetServer = async () => {
  const closed = Promise.withResolvers<void>()
  const port = await listenTcp((peer) => {
    peer.pause().once('close', () => closed.resolve())
    setTimeout(() => peer.write('response', () => peer.destroy()), 50)
  })
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => {
    socket.destroy()
  })
  const events: string[] = []
  socket.on('error', ({ syscall }: NodeJS.ErrnoException) => events.push(`${syscall} error`))
  socket.on('data', (chunk) => events.push(`${chunk}`))
  socket.pause()
  await once(socket, 'connect')
  socket.write('x'.repeat(100_000))
  await closed.promise
  await sleep(20)
  return { socket, events, isClosed: new Promise((resolve) => socket.once('close', resolve)) }
}

describe('a failed write', () => {
  it('makes Node discard the data received before it', async () => {
    const { socket, events, isClosed } = await connectToResetServer()
    socket.write('more')
    await isClosed
    socket.resume()
    await sleep(50)
    expect(events).toEqual(['write error'])
  })

  it('is reported, with the patch, only once the data received before it has been read', async () => {
    const { socket, events, isClosed } = await connectToResetServer()
    delayWriteErrors(socket)
    socket.write('more')
    await sleep(0)
    socket.resume()
    await isClosed
    expect(events[0]).toBe('response')
    expect(events).toHaveLength(2)
  })
})
