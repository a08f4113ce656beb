import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { openRawClient, type RawClient } from '#test/support/raw-client.ts'

/** Runs `work` for `count` indices, `width` at a time. */
export const inBatches = async (
  count: number,
  width: number,
  work: (indices: readonly number[]) => Promise<unknown>,
) => {
  for (let from = 0; from < count; from += width) {
    await work(Array.from({ length: Math.min(width, count - from) }, (_, at) => from + at))
  }
}

/** Opens `count` connections, 200 at a time because the system's accept queue is limited. */
export const openClients = async (port: number, count: number) => {
  const clients: RawClient[] = []
  await inBatches(count, 200, async (indices) => {
    clients.push(...(await Promise.all(indices.map(() => openRawClient(port)))))
  })
  return clients
}

/** Closes a connection, or resets it if `index` is odd. */
export const closeOrReset = ({ socket }: RawClient, index: number) => {
  if (index % 2 === 0) socket.destroy()
  else socket.resetAndDestroy()
}

export const resetAll = (clients: readonly RawClient[]) => {
  for (const { socket } of clients) socket.resetAndDestroy()
}

/** Returns how many connections a test can open. Each takes two file descriptors: one here and one in the gateway. */
export const limitConnections = (wanted: number) => {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Math.min(wanted, Number(limit) - 1000)
}

interface ReadRate {
  readonly pauseMs: number
  readonly slowForMs: number
  /** What the reader does after `slowForMs`. */
  readonly afterwards: 'read on' | 'disconnect'
}

/** Reads a response slowly; resolves to the number of body bytes that arrived. */
export const readSlowly = (port: number, message: string, { pauseMs, slowForMs, afterwards }: ReadRate) =>
  new Promise<number>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(message))
    const slowUntil = performance.now() + slowForMs
    let received = 0
    let headLength = 0
    socket.on('data', (chunk) => {
      if (received === 0) headLength = chunk.indexOf('\r\n\r\n') + 4
      received += chunk.length
      if (performance.now() < slowUntil) {
        socket.pause()
        setTimeout(() => socket.resume(), pauseMs)
      } else if (afterwards === 'disconnect') socket.destroy()
    })
    socket.once('error', reject).once('end', () => socket.destroy())
    socket.once('close', () => resolve(received - headLength))
  })
