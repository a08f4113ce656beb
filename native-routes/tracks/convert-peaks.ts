type Bits = 8 | 16

interface Samples {
  readonly bits: Bits
  readonly data: number[]
}

// Rounds towards zero, like audiowaveform.
const converters: Readonly<Record<Bits, (sample: number) => number>> = {
  8: (sample) => Math.trunc(sample / 256),
  16: (sample) => sample * 256,
}

/** Converts a waveform's samples to another bit depth. */
export const convertPeaks = <P extends Samples>(peaks: P, bits: Bits): P =>
  peaks.bits === bits ? peaks : { ...peaks, bits, data: peaks.data.map(converters[bits]) }
