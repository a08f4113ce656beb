import { once } from 'node:events'
import { connect, type OnReadOpts, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { releaseChunk, sharedReadBuffer } from '#proxy/node-streams/core-connection.ts'
import { listenTcp } from './loopback.ts'

const sendTwice = (bytes: number) =>
  listenTcp(async (socket) => {
    socket.setNoDelay(true)
    socket.write('a'.repeat(bytes))
    await sleep(30)
    socket.end('b'.repeat(bytes))
  })

const readAll = async (port: number, onread?: OnReadOpts) => {
  const socket = connect({ port, host: '127.0.0.1', ...(onread && { onread }) })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.resume()
  await once(socket, 'close')
  return chunks
}

describe('Node without the patch', () => {
  it('allocates memory for each read', async () => {
    const chunks = await readAll(await sendTwice(1000))
    expect(chunks.map(({ buffer }) => buffer.byteLength)).toEqual([1000, 1000])
    expect(chunks[0]?.buffer).not.toBe(chunks[1]?.buffer)
  })

  it("reads into onread's buffer, calls the callback with the socket as this, and emits no data", async () => {
    const buffer = Buffer.alloc(65_536)
    const reads: string[] = []
    const callback = function (this: Socket, length: number, bytes: Uint8Array) {
      const isSame = bytes.buffer === buffer.buffer && bytes.byteOffset === buffer.byteOffset
      reads.push(
        `${typeof this.push} ${isSame} ${Buffer.from(bytes.subarray(0, length)).toString('latin1', 0, 1)}`,
      )
      return true
    }
    const chunks = await readAll(await sendTwice(1000), {
      buffer,
      callback: callback as OnReadOpts['callback'],
    })
    expect(reads).toEqual(['function true a', 'function true b'])
    expect(chunks).toEqual([])
  })
})

describe('the shared read buffer', () => {
  it('emits a copy of each read', async () => {
    const chunks = await readAll(await sendTwice(1000), sharedReadBuffer)
    expect(Buffer.concat(chunks).toString()).toBe('a'.repeat(1000) + 'b'.repeat(1000))
    for (const { buffer } of chunks) expect(buffer).not.toBe(sharedReadBuffer.buffer.buffer)
  })

  const push = (bytes: number, text: string) => {
    let pushed: Buffer = Buffer.alloc(0)
    const socket = {
      push: (chunk: Buffer) => {
        pushed = chunk
        return true
      },
    } as Partial<Socket> as Socket
    sharedReadBuffer.callback.call(socket, bytes, Buffer.alloc(bytes, text))
    return pushed
  }

  it("reuses a long chunk's memory once the chunk is released, and not before", () => {
    const [first, second] = [push(20_000, 'a'), push(30_000, 'b')]
    expect(second.buffer).not.toBe(first.buffer)
    releaseChunk(first)
    const third = push(40_000, 'c')
    expect(third.buffer).toBe(first.buffer)
    expect(third.toString()).toBe('c'.repeat(40_000))
    expect(second.toString()).toBe('b'.repeat(30_000))
  })

  it('does not reuse memory that is only partly released, nor reuse it twice if it is released twice', () => {
    const chunk = push(20_000, 'a')
    releaseChunk(chunk.subarray(0, 10))
    expect(push(20_000, 'b').buffer).not.toBe(chunk.buffer)
    releaseChunk(chunk)
    releaseChunk(chunk)
    const [next, last] = [push(20_000, 'c'), push(20_000, 'd')]
    expect(next.buffer).not.toBe(last.buffer)
  })
})
