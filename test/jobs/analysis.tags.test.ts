import { describe, expect, it } from 'vitest'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { readMediaFile } from '#test/support/media/audio-files.ts'
import { constantFlac } from '#test/support/media/flac.ts'
import { box } from '#test/support/media/mp4.ts'

const uint32 = (value: number, isLittleEndian = false) => {
  const bytes = Buffer.alloc(4)
  if (isLittleEndian) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}

const counted = (text: string) => Buffer.concat([uint32(Buffer.byteLength(text), true), Buffer.from(text)])

/** A second of silence with Vorbis comments. */
const flacWith = (...comments: readonly string[]) => {
  const flac = Buffer.from(constantFlac({ frames: 1 }))
  const body = Buffer.concat([counted('test'), uint32(comments.length, true), ...comments.map(counted)])
  const block = Buffer.concat([uint32(0x8400_0000 + body.length), body])
  flac.writeUInt8(0, 4)
  return new Uint8Array(Buffer.concat([flac.subarray(0, 42), block, flac.subarray(42)]))
}

const frame = (id: string, body: string, version: 2 | 3) => {
  const bytes = Buffer.from(`\0${body}`, 'latin1')
  const size = uint32(bytes.length)
  return version === 2
    ? Buffer.concat([Buffer.from(id), size.subarray(1), bytes])
    : Buffer.concat([Buffer.from(id), size, Buffer.alloc(2), bytes])
}

/** Audio with an ID3 tag that contains these text frames. */
const mp3With = async (version: 2 | 3, frames: Readonly<Record<string, string>>) => {
  const body = Buffer.concat(Object.entries(frames).map(([id, text]) => frame(id, text, version)))
  const size = Buffer.from([0, 0, body.length >> 7, body.length & 0x7f])
  const header = Buffer.concat([Buffer.from('ID3'), Buffer.from([version, 0, 0]), size])
  const sound = Buffer.from(await readMediaFile('sine.mp3'))
  const oldTag = 10 + sound.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0)
  return new Uint8Array(Buffer.concat([header, body, sound.subarray(oldTag)]))
}

const freeform = (name: string, text: string) =>
  box(
    '----',
    box('mean', uint32(0), Buffer.from('com.apple.iTunes')),
    box('name', uint32(0), Buffer.from(name)),
    box('data', uint32(1), uint32(0), Buffer.from(text)),
  )

const mp4With = async (...entries: readonly Buffer[]) => {
  const handler = Buffer.concat([uint32(0), uint32(0), Buffer.from('mdirappl'), Buffer.alloc(9)])
  const meta = box('meta', uint32(0), box('hdlr', handler), box('ilst', ...entries))
  const file = Buffer.from(await readMediaFile('sine.m4a'))
  const start = file.indexOf('moov') - 4
  const size = file.readUInt32BE(start)
  const moov = box('moov', file.subarray(start + 8, start + size), box('udta', meta))
  return new Uint8Array(Buffer.concat([file.subarray(0, start), moov, file.subarray(start + size)]))
}

describe("a file's tags", () => {
  const { analyse } = startAnalyses()
  const read = async (bytes: Uint8Array<ArrayBuffer>, contentType: string) => {
    const found = await analyse(bytes, contentType)
    if (found.failure) throw new Error(found.failure.code)
    const values = Object.fromEntries(found.tags.map(({ category, value }) => [category, value]))
    return { ...values, lyrics: found.lyrics }
  }

  it('include a fractional tempo and the key, in each format', async () => {
    const expected = { bpm: '174.5', key: '8A' }
    const integer = box('tmpo', box('data', uint32(21), uint32(0), Buffer.from([0, 174])))
    const inMp4 = await mp4With(integer, freeform('BPM', '174.5'), freeform('initialkey', '8A'))
    const cases: [Uint8Array<ArrayBuffer>, string][] = [
      [flacWith('BPM=174.5', 'INITIALKEY=8A'), 'audio/flac'],
      [flacWith('tempo=174,50', 'initial key=8A', `KEY=${'x'.repeat(60)}`), 'audio/flac'],
      [await mp3With(3, { TBPM: '174.5', TKEY: '8A' }), 'audio/mpeg'],
      [await mp3With(3, { TBPM: '174', TXXX: 'fBPM\u0000174.5', TKEY: '8A' }), 'audio/mpeg'],
      [await mp3With(2, { TBP: '174.5', TKE: '8A' }), 'audio/mpeg'],
      [inMp4, 'audio/mp4'],
    ]
    for (const [bytes, contentType] of cases) expect(await read(bytes, contentType)).toMatchObject(expected)
  })

  it('omit implausible tempos, and give whole numbers without a fraction', async () => {
    expect(await read(flacWith('BPM=0'), 'audio/flac')).not.toHaveProperty('bpm')
    expect(await read(flacWith('BPM=fast'), 'audio/flac')).not.toHaveProperty('bpm')
    expect(await read(flacWith('BPM=128.00'), 'audio/flac')).toMatchObject({ bpm: '128' })
  })

  const lrc = '[ar:Owls]\r\n[00:01.50]First\r\n[0:03]Second\r\n[00:02.5][00:09.125]Chorus'
  const timed = [
    { startMs: 1500, endMs: null, text: 'First' },
    { startMs: 2500, endMs: null, text: 'Chorus' },
    { startMs: 3000, endMs: null, text: 'Second' },
    { startMs: 9125, endMs: null, text: 'Chorus' },
  ]

  it('include the times of lyrics, in each format', async () => {
    const lyrics = { text: 'First\nSecond\nChorus', language: null, lines: timed }
    const entry = box('\u00a9lyr', box('data', uint32(1), uint32(0), Buffer.from(lrc)))
    expect((await read(await mp3With(3, { USLT: `eng\0${lrc}` }), 'audio/mpeg')).lyrics).toEqual(lyrics)
    expect((await read(await mp3With(2, { ULT: `eng\0${lrc}` }), 'audio/mpeg')).lyrics).toEqual(lyrics)
    for (const name of ['LYRICS', 'UNSYNCEDLYRICS', 'SYNCEDLYRICS'])
      expect((await read(flacWith(`${name}=${lrc}`), 'audio/flac')).lyrics).toEqual(lyrics)
    expect((await read(await mp4With(entry), 'audio/mp4')).lyrics).toEqual(lyrics)
  })

  it('shift the times of lyrics by the offset in their header', async () => {
    const { lyrics } = await read(
      flacWith('LYRICS=[ti:offset]\n[offset:+500]\n[00:01.50]<00:01.50>One <00:02.00>two'),
      'audio/flac',
    )
    expect(lyrics?.lines).toEqual([{ startMs: 1000, endMs: null, text: 'One two' }])
  })

  it('include lyrics without times as plain text', async () => {
    const { lyrics } = await read(await mp3With(3, { USLT: 'eng\0[Chorus]\nPlain text' }), 'audio/mpeg')
    expect(lyrics).toEqual({ text: '[Chorus]\nPlain text', language: null, lines: [] })
  })
})
