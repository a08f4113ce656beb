import FFT from 'fft.js'

const window = 16_384
const lowest = 55
const highest = 1760
const pitchNames = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B']

// How well each note of the scale fits a key, as listeners rated it (Krumhansl and Kessler, 1982).
const profiles = {
  major: [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  minor: [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17],
} as const

const hann = Float64Array.from(
  { length: window },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / window),
)

// A above middle C is 440 Hz, and the ninth half tone above C.
const pitchClassOf = (hertz: number) => (((Math.round(12 * Math.log2(hertz / 440)) + 9) % 12) + 12) % 12

/** How much of the sound lies on each of the twelve notes. */
const chromaOf = (samples: Float32Array, sampleRate: number) => {
  const fft = new FFT(window)
  const spectrum = fft.createComplexArray()
  const chroma = new Array<number>(12).fill(0)
  const [first, last] = [lowest, highest].map((hertz) => Math.round((hertz * window) / sampleRate))
  for (let start = 0; start + window <= samples.length; start += window) {
    const frame = samples.subarray(start, start + window).map((sample, at) => sample * (hann[at] ?? 0))
    fft.realTransform(spectrum, frame)
    for (let bin = first ?? 0; bin <= (last ?? 0); bin++) {
      const note = pitchClassOf((bin * sampleRate) / window)
      chroma[note] = (chroma[note] ?? 0) + Math.hypot(spectrum[bin * 2] ?? 0, spectrum[bin * 2 + 1] ?? 0)
    }
  }
  return chroma
}

const correlation = (left: readonly number[], right: readonly number[]) => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [leftMean, rightMean] = [mean(left), mean(right)]
  let [together, leftSquares, rightSquares] = [0, 0, 0]
  for (const [at, value] of left.entries()) {
    const [a, b] = [value - leftMean, (right[at] ?? 0) - rightMean]
    together += a * b
    leftSquares += a * a
    rightSquares += b * b
  }
  return together / Math.sqrt(leftSquares * rightSquares)
}

/** The key that fits the sound best, and how well from 0 to 1; null for silence and for too little of it. */
export const estimateKey = (samples: Float32Array, sampleRate: number) => {
  const chroma = chromaOf(samples, sampleRate)
  if (!chroma.some((weight) => weight > 0)) return null
  const candidates = pitchNames.flatMap((name, tonic) =>
    (['major', 'minor'] as const).map((mode) => {
      const fromTonic = chroma.map((_, step) => chroma[(tonic + step) % 12] ?? 0)
      return { key: `${name} ${mode}`, confidence: correlation(fromTonic, profiles[mode]) }
    }),
  )
  const [best] = candidates.sort((left, right) => right.confidence - left.confidence)
  return best && best.confidence > 0 ? best : null
}
