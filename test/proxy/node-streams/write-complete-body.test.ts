import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { writeCompleteBody } from '#proxy/node-streams/write-complete-body.ts'
import { listenHttp } from './loopback.ts'

type Chunk = string | Buffer

/** Sends one response; resolves to its body and to the chunks that the socket was given to write. */
const respond = async (send: (outgoing: ServerResponse) => void) => {
  const writes: string[][] = []
  const kind = (chunk: Chunk) => (typeof chunk === 'string' ? 'string' : 'bytes')
  const port = await listenHttp((incoming, outgoing) => {
    const { socket } = incoming
    const { _write: write, _writev: writeAll } = socket
    socket._write = function (chunk, encoding, callback) {
      writes.push([kind(chunk)])
      write.call(this, chunk, encoding, callback)
    }
    socket._writev = function (chunks, callback) {
      writes.push(chunks.map(({ chunk }) => kind(chunk)))
      writeAll?.call(this, chunks, callback)
    }
    outgoing.writeHead(200, ['content-length', '4'])
    send(outgoing)
  })
  const response = await fetch(`http://127.0.0.1:${port}`)
  return { body: await response.text(), writes }
}

describe('a complete response', () => {
  it('is two chunks in Node with a body of bytes', async () => {
    const { writes } = await respond((outgoing) => outgoing.end(Buffer.from('body')))
    expect(writes).toEqual([['string', 'bytes']])
  })

  it('is two chunks in Node with a string that is not written with the end', async () => {
    const { writes } = await respond((outgoing) => {
      outgoing.write('body', 'latin1')
      outgoing.end()
    })
    expect(writes).toEqual([['string', 'string']])
  })

  it('is one string with writeWhole', async () => {
    const { body, writes } = await respond((outgoing) => writeCompleteBody(outgoing, 'body', 'latin1'))
    expect([body, writes]).toEqual(['body', [['string']]])
  })
})
