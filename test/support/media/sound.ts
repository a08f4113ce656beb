import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Bytes = Uint8Array<ArrayBuffer>

/** One of the sound files beside this module. */
export const soundFile = async (name: string): Promise<Bytes> =>
  new Uint8Array(await readFile(join(import.meta.dirname, name)))

export interface WavOptions {
  readonly seconds?: number
  readonly sampleRate?: number
  readonly channels?: number
  /** The sample of a channel at a moment, -1 to 1. */
  readonly sampleAt?: (seconds: number, channel: number) => number
}

/** The amplitude at `seconds` of a sine of this frequency. */
export const sine = (hertz: number, amplitude: number) => (seconds: number) =>
  amplitude * Math.sin(2 * Math.PI * hertz * seconds)

/** A WAV file of 16-bit samples. */
export const wav = (options: WavOptions = {}): Bytes => {
  const { seconds = 1, sampleRate = 8000, channels = 1, sampleAt = sine(440, 0.5) } = options
  const frames = Math.round(seconds * sampleRate)
  const bodyBytes = frames * channels * 2
  const view = new DataView(new ArrayBuffer(44 + bodyBytes))
  const write = (at: number, text: string) => {
    for (const [index, character] of [...text].entries()) view.setUint8(at + index, character.charCodeAt(0))
  }
  write(0, 'RIFF')
  view.setUint32(4, 36 + bodyBytes, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, bodyBytes, true)
  for (let frame = 0; frame < frames; frame++)
    for (let channel = 0; channel < channels; channel++) {
      const sample = Math.round(sampleAt(frame / sampleRate, channel) * 32_767)
      view.setInt16(44 + (frame * channels + channel) * 2, sample, true)
    }
  return new Uint8Array(view.buffer)
}
