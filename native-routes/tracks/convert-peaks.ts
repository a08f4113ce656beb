type Bits = 8 | 16

interface Samples {
  readonly bits: Bits
  readonly data: number[]
}

// As audiowaveform itself converts: towards zero.
const converters: Readonly<Record<Bits, (sample: number) => number>> = {
  8: (sample) => Math.trunc(sample / 256),
  16: (sample) => sample * 256,
}

/** Converts the samples of a waveform to another number of bits. */
export const convertPeaks = <P extends Samples>(peaks: P, bits: Bits): P =>
  peaks.bits === bits ? peaks : { ...peaks, bits, data: peaks.data.map(converters[bits]) }
