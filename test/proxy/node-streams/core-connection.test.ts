import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  assignNextConnection,
  type ConnectionUser,
  createCoreConnector,
} from '#proxy/node-streams/core-connection.ts'
import { listenTcp } from './loopback.ts'

const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const closeDelimited = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf'

const listenWith = (respond: (socket: Socket) => void) =>
  listenTcp((socket) => socket.once('data', () => respond(socket)))

const respondWith = (text: string) => listenWith((socket) => socket.write(text))

const resetAfter = (text: string) =>
  listenWith((socket) => socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20)))

interface CoreConnectionOptions {
  readonly connect?: buildConnector.connector
  readonly onStart?: () => void
  readonly events?: string[]
}

const dispatch = (
  port: number,
  { connect = buildConnector({}), onStart, events = [] }: CoreConnectionOptions = {},
) =>
  new Promise<readonly string[]>((resolve) => {
    const client = new Client(`http://127.0.0.1:${port}`, { connect })
    onTestFinished(() => client.destroy())
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {
        events.push('start')
        onStart?.()
      },
      onResponseStart: (_controller, status) => {
        events.push(`head ${status}`)
      },
      onResponseData: (_controller, chunk) => {
        events.push(`data ${chunk}`)
      },
      onResponseEnd: () => {
        events.push('end')
        resolve(events)
      },
      onResponseError: (_controller, error) => {
        events.push(`error ${error.message}`)
        resolve(events)
      },
    }
    client.dispatch({ path: '/', method: 'GET' }, handler)
  })

describe('undici without the patch', () => {
  it('fails a request when an unrequested 100 Continue arrives', async () => {
    const port = await respondWith(`HTTP/1.1 100 Continue\r\n\r\n${final}`)
    expect(await dispatch(port)).toEqual(['start', 'error bad response'])
  })

  it('treats a response without a length as complete when the connection is reset', async () => {
    const port = await resetAfter(closeDelimited)
    expect(await dispatch(port)).toEqual(['start', 'head 200', 'data half', 'end'])
  })

  it('decodes the chunks of an HTTP/1.0 response without reporting the HTTP version', async () => {
    const chunks = 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'
    expect(await dispatch(await respondWith(chunks))).toEqual(['start', 'head 200', 'data ok', 'end'])
  })

  it('publishes the socket after a request starts and before its first byte is written', async () => {
    const port = await respondWith(final)
    const events: string[] = []
    const onSendHeaders = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      if (socket.remotePort !== port) return
      events.push(`publish after ${socket.bytesWritten + socket.writableLength} bytes`)
    }
    subscribe('undici:client:sendHeaders', onSendHeaders)
    onTestFinished(() => {
      unsubscribe('undici:client:sendHeaders', onSendHeaders)
    })
    const onStart = () => queueMicrotask(() => events.push('microtask'))
    await dispatch(port, { events, onStart })
    expect(events.slice(0, 3)).toEqual(['start', 'publish after 0 bytes', 'microtask'])
  })

  it('calls socket.read() until it returns null', async () => {
    const port = await respondWith(final)
    const events: string[] = []
    const connect = buildConnector({})
    const connectWithRecording: buildConnector.connector = (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result
        const read = socket?.read
        if (socket && read)
          socket.read = (size) => {
            const chunk: Buffer | null = read.call(socket, size)
            events.push(chunk ? `read ${chunk.length}` : 'read null')
            return chunk
          }
        callback(...result)
      })
    await dispatch(port, { connect: connectWithRecording, events })
    await expect.poll(() => events.at(-1)).toBe('read null')
    expect(events.filter((event) => event !== 'read null')).toEqual([
      'start',
      `read ${final.length}`,
      'head 200',
      'data ok',
      'end',
    ])
  })
})

describe('a connection to the core', () => {
  const recordUser = (): { events: string[]; user: ConnectionUser } => {
    const events: string[] = []
    const user: ConnectionUser = {
      onFirstByte: () => events.push('first byte'),
      onHttp10: () => events.push('HTTP/1.0'),
      onReadBufferEmpty: () => events.push('read buffer empty'),
      onConnectionError: () => events.push('connection error'),
    }
    return { events, user }
  }

  const dispatchWithUser = async (port: number) => {
    const { events, user } = recordUser()
    const calls = await dispatch(port, {
      connect: createCoreConnector(1000),
      onStart: () => assignNextConnection(user),
    })
    return { events, calls }
  }

  it('passes only the final response to undici', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n'
    const { calls } = await dispatchWithUser(await respondWith(interim + final))
    expect(calls).toEqual(['start', 'head 200', 'data ok', 'end'])
  })

  it('reports when the first byte arrives, and when everything that has arrived is parsed', async () => {
    const { events } = await dispatchWithUser(await respondWith(final))
    await expect.poll(() => events.at(-1)).toBe('read buffer empty')
    expect(events[0]).toBe('read buffer empty')
    expect(events.filter((event) => event !== 'read buffer empty')).toEqual(['first byte'])
  })

  it('reports that a response is HTTP/1.0', async () => {
    const port = await respondWith('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok')
    expect((await dispatchWithUser(port)).events).toContain('HTTP/1.0')
  })

  it('reports a reset even if undici treats the response as complete', async () => {
    const { events, calls } = await dispatchWithUser(await resetAfter(closeDelimited))
    expect(calls.at(-1)).toBe('end')
    expect(events).toContain('connection error')
  })

  it('fails a request whose response is not HTTP/1', async () => {
    const { calls } = await dispatchWithUser(await respondWith('SSH-2.0-OpenSSH_9.6\r\n'))
    expect(calls).toEqual(['start', "error the core's response is not HTTP/1"])
  })
})
