/** In audiowaveform's 8-bit format, version 2: for each pixel, each channel's minimum and maximum. */
export interface Waveform {
  readonly channels: number
  readonly sampleRate: number
  readonly samplesPerPixel: number
  readonly length: number
  readonly data: Int8Array
}

const finestSamplesPerPixel = 256
// Enough for 45 minutes of stereo at the finest resolution. Limited, because a 1 GiB file can hold weeks of audio and a
// response contains the whole waveform.
const defaultMaxValues = 2 ** 21

const toEightBits = (sample: number) => Math.max(-128, Math.min(127, Math.floor(sample * 128)))

/** Uses constant memory, by merging adjacent pixels whenever there are too many values. */
export const createPeakMeter = (channels: number, maxValues = defaultMaxValues) => {
  const values = channels * 2
  const maxPixels = Math.floor(maxValues / values / 2) * 2
  const pixels = new Int8Array(maxPixels * values)
  const lows = new Float32Array(channels)
  const highs = new Float32Array(channels)
  let samplesPerPixel = finestSamplesPerPixel
  let length = 0
  let filled = 0
  let frames = 0

  const mergePixelPairs = () => {
    for (let pixel = 0; pixel < length / 2; pixel++)
      for (let value = 0; value < values; value++) {
        const [first = 0, second = 0] = [
          pixels[pixel * 2 * values + value],
          pixels[(pixel * 2 + 1) * values + value],
        ]
        pixels[pixel * values + value] = value % 2 === 0 ? Math.min(first, second) : Math.max(first, second)
      }
    length /= 2
    samplesPerPixel *= 2
  }

  const startPixel = () => {
    if (length === maxPixels) mergePixelPairs()
    lows.fill(Number.POSITIVE_INFINITY)
    highs.fill(Number.NEGATIVE_INFINITY)
  }

  const measure = (block: Float32Array, channel: number, from: number, to: number) => {
    let [low = 0, high = 0] = [lows[channel], highs[channel]]
    for (let index = from; index < to; index++) {
      // NaN counts as silence.
      const sample = block[index] || 0
      if (sample < low) low = sample
      if (sample > high) high = sample
    }
    lows[channel] = low
    highs[channel] = high
  }

  const finishPixel = () => {
    for (let channel = 0; channel < channels; channel++) {
      pixels[length * values + channel * 2] = toEightBits(lows[channel] ?? 0)
      pixels[length * values + channel * 2 + 1] = toEightBits(highs[channel] ?? 0)
    }
    length += 1
    filled = 0
  }

  return {
    add(blocks: readonly Float32Array[]) {
      const total = blocks[0]?.length ?? 0
      frames += total
      for (let from = 0; from < total; ) {
        if (filled === 0) startPixel()
        const to = Math.min(total, from + samplesPerPixel - filled)
        for (let channel = 0; channel < channels; channel++) {
          const block = blocks[channel]
          if (block) measure(block, channel, from, to)
        }
        filled += to - from
        from = to
        if (filled === samplesPerPixel) finishPixel()
      }
    },

    frames: () => frames,

    /** The last pixel may cover fewer samples than the others. */
    waveform(sampleRate: number): Waveform {
      if (filled > 0) finishPixel()
      return { channels, sampleRate, samplesPerPixel, length, data: pixels.slice(0, length * values) }
    },
  }
}
