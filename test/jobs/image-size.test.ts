import { describe, expect, it } from 'vitest'
import { inspectAsset } from '#jobs/analysis/inspect-asset.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { box } from '#test/support/media/mp4.ts'

const uint = (bytes: number, ...values: readonly number[]) => {
  const buffer = Buffer.alloc(bytes * values.length)
  for (const [index, value] of values.entries()) buffer.writeUIntBE(value, index * bytes, bytes)
  return buffer
}
const uint8 = (...values: readonly number[]) => uint(1, ...values)
const uint16 = (...values: readonly number[]) => uint(2, ...values)
const uint32 = (...values: readonly number[]) => uint(4, ...values)

const ispe = (width: number, height: number) => box('ispe', uint32(0, width, height))
const irot = (turns: number) => box('irot', uint8(turns))
const imir = box('imir', uint8(1))
const clap = (width: number, height: number) => box('clap', uint32(width, 1, height, 1, 0, 1, 0, 1))

/** A HEIF file with two items: a thumbnail, then the primary item, which has the given properties. */
const heif = (brand: string, ...properties: readonly Buffer[]) => {
  const own = properties.map((_, index) => index + 2)
  const ipma = box(
    'ipma',
    uint32(0, 2),
    Buffer.concat([
      uint16(1),
      uint8(1, 1),
      uint16(2),
      uint8(own.length, ...own.map((index) => 0x80 | index)),
    ]),
  )
  const iprp = box('iprp', box('ipco', ispe(160, 120), ...properties), ipma)
  const meta = box('meta', uint32(0), box('pitm', uint32(0), uint16(2)), iprp)
  const ftyp = box('ftyp', Buffer.from(brand), uint32(0), Buffer.from(`mif1${brand}`))
  return new Uint8Array(Buffer.concat([ftyp, meta, box('mdat', Buffer.alloc(16))]))
}

const segment = (marker: number, body: Buffer) =>
  Buffer.concat([uint8(0xff, marker), uint16(body.length + 2), body])

/** A TIFF file whose directory has 2-byte values and comes after `gap` bytes. */
const tiff = (entries: readonly (readonly [tag: number, value: number])[], gap = 0) =>
  Buffer.concat([
    Buffer.from('MM\0*'),
    uint32(8 + gap),
    Buffer.alloc(gap),
    uint16(entries.length),
    ...entries.map(([tag, value]) => Buffer.concat([uint16(tag, 3), uint32(1), uint16(value, 0)])),
    uint32(0),
  ])

const exif = (orientation: number) =>
  segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff([[274, orientation]])]))

const jpeg = (...segments: readonly Buffer[]) => {
  const frame = segment(0xc2, Buffer.concat([uint8(8), uint16(30, 40), uint8(1, 1, 0x11, 0)]))
  return new Uint8Array(Buffer.concat([uint8(0xff, 0xd8), ...segments, frame, uint8(0xff, 0xd9)]))
}

const metadata = (count: number) =>
  Array.from({ length: count }, () => segment(0xe2, Buffer.alloc(65_000, 'ICC_PROFILE\0')))

describe("an image's size", () => {
  const { onDisk } = startAnalyses()
  const sizeOf = async (bytes: Uint8Array<ArrayBuffer>, contentType: string) => {
    const { failure, width, height } = await inspectAsset(await onDisk(bytes), contentType)
    return failure?.code ?? [width, height]
  }

  it.each([
    ['image/heic', 'heic'],
    ['image/heif', 'heic'],
    ['image/avif', 'avif'],
  ])('is that of the primary image as displayed: %s', async (contentType, brand) => {
    const size = (...properties: readonly Buffer[]) => sizeOf(heif(brand, ...properties), contentType)
    expect(await size(ispe(400, 300))).toEqual([400, 300])
    expect(await size(ispe(400, 300), irot(1))).toEqual([300, 400])
    expect(await size(ispe(400, 300), irot(2))).toEqual([400, 300])
    expect(await size(ispe(400, 300), irot(3), imir)).toEqual([300, 400])
    expect(await size(ispe(400, 300), clap(380, 290), irot(3))).toEqual([290, 380])
  })

  it('is found in a JPEG behind any amount of metadata', async () => {
    expect(await sizeOf(jpeg(), 'image/jpeg')).toEqual([40, 30])
    expect(await sizeOf(jpeg(...metadata(20)), 'image/jpeg')).toEqual([40, 30])
    expect(await sizeOf(jpeg(exif(6), ...metadata(20)), 'image/jpeg')).toEqual([30, 40])
    expect(await sizeOf(jpeg(exif(3), uint8(0xff, 0xff)), 'image/jpeg')).toEqual([40, 30])
  })

  it('is found in a TIFF whose directory is at the end', async () => {
    const size = [
      [256, 40],
      [257, 30],
    ] as const
    const read = async (bytes: Buffer) => sizeOf(new Uint8Array(bytes), 'image/tiff')
    expect(await read(tiff(size, 600_000))).toEqual([40, 30])
    expect(await read(tiff([...size, [274, 8]], 600_000))).toEqual([30, 40])
  })

  it('is unknown if it cannot be read, but the file is not rejected', async () => {
    expect(await sizeOf(jpeg().slice(0, 4), 'image/jpeg')).toEqual([null, null])
    const bytes = heif('heic', ispe(400, 300), irot(1))
    for (let length = 24; length < bytes.length; length += 7)
      expect(await sizeOf(bytes.slice(0, length), 'image/heic')).toHaveLength(2)
  })
})
