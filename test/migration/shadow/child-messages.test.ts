import { describe, expect, it } from 'vitest'
import { encodeFrame, FrameReader } from '#migration/shadow/child-messages.ts'

const payloads = ['first', '', 'x'.repeat(1000), 'last']
const stream = Buffer.concat(payloads.map((text) => encodeFrame(Buffer.from(text))))

describe('message frames', () => {
  it.each([1, 2, 3, 7, 500, stream.length])('are read from chunks of %d bytes', (size) => {
    const reader = new FrameReader(1000)
    const read: string[] = []
    for (let start = 0; start < stream.length; start += size)
      for (const payload of reader.read(stream.subarray(start, start + size))) read.push(payload.toString())
    expect(read).toEqual(payloads)
  })

  it('are rejected as soon as their header shows that they are longer than the limit', () => {
    const reader = new FrameReader(999)
    const header = encodeFrame(Buffer.alloc(1000)).subarray(0, 4)
    expect(() => [...reader.read(header)]).toThrow('frame of 1000 bytes exceeds 999')
  })
})
