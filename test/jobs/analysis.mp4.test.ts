import { describe, expect, it } from 'vitest'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { box, moov, mp4 } from '#test/support/media/mp4.ts'

const uint32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

// Three fragments of 20 samples each. The index before them has no samples, as in a recording from a browser.
const fragmented = (tfhd: Buffer, trun: Buffer, defaults = Buffer.alloc(0)) => {
  const index = moov({ sampleSize: 0, sampleCount: 0, chunks: [], declaredSamples: 0 })
  const withDefaults = box('moov', index.subarray(8), box('mvex', defaults))
  const fragment = box('moof', box('traf', box('tfhd', tfhd), box('trun', trun)))
  return mp4(
    withDefaults,
    ...Array.from({ length: 3 }, () => [fragment, box('mdat', Buffer.alloc(40))]).flat(),
  )
}
const trackId = 1
const samples = 20
const ticks = 1470
const ownDurations = Buffer.concat(Array.from({ length: samples }, () => uint32(ticks, 2)))

describe('analysis of fragmented MP4', () => {
  const { analyse } = startAnalyses()

  it.each([
    ['each sample', fragmented(uint32(0, trackId), Buffer.concat([uint32(0x301, samples, 0), ownDurations]))],
    ['each fragment', fragmented(uint32(0x8, trackId, ticks), uint32(0, samples))],
    [
      'each fragment, after other fields',
      fragmented(uint32(0xb, trackId, 0, 0, 1, ticks), uint32(0, samples)),
    ],
    [
      'all fragments',
      fragmented(uint32(0, trackId), uint32(0, samples), box('trex', uint32(0, trackId, 1, ticks, 0, 0))),
    ],
  ])("adds up the fragments' durations without a decoder if they are stated for %s", async (_, bytes) => {
    expect(await analyse(bytes, 'audio/mp4', null)).toMatchObject({
      failure: null,
      measures: { durationMs: 2000 },
    })
  })

  it('includes gaps between fragments in the duration', async () => {
    const fragment = (tick: number) =>
      box(
        'moof',
        box(
          'traf',
          box('tfhd', uint32(0x8, trackId, ticks)),
          box('tfdt', uint32(0, tick)),
          box('trun', uint32(0, samples)),
        ),
      )
    const index = moov({ sampleSize: 0, sampleCount: 0, chunks: [], declaredSamples: 0 })
    const bytes = mp4(index, fragment(44_100), fragment(3 * 44_100))
    expect(await analyse(bytes, 'audio/mp4', null)).toMatchObject({ measures: { durationMs: 2667 } })
  })

  it('rejects fragments that claim a duration of years', async () => {
    const bytes = fragmented(uint32(0x8, trackId, 0xffff_ffff), uint32(0, 0xffff_ffff))
    expect((await analyse(bytes, 'audio/mp4', null)).failure?.code).toBe('audio_too_long')
  })

  it('does not read past the end of a box that claims more samples than it has', async () => {
    const run = Buffer.concat([uint32(0x301, 0xffff_ffff, 0), ownDurations])
    expect(await analyse(fragmented(uint32(0, trackId), run), 'audio/mp4', null)).toMatchObject({
      measures: { durationMs: 2000 },
    })
  })
})
