import type { DemoSong } from './songs.ts'

const sampleRate = 44_100
const channels = 2
// Long enough for the last notes to fade.
const tailS = 2.5
const peak = 0.7

interface Tone {
  readonly note: number
  readonly startS: number
  readonly seconds: number
  readonly gain: number
  /** From 0 (left) to 1 (right). */
  readonly pan: number
  readonly attackS: number
  /** How long the loudness takes to halve. */
  readonly halfLifeS: number
}

type Mix = readonly [left: Float64Array, right: Float64Array]

const frequencyOf = (note: number) => 440 * 2 ** ((note - 69) / 12)

// Computes the sine by recurrence, which is cheaper than `Math.sin` for each sample:
// sin((n+1)w) = 2 cos(w) sin(nw) - sin((n-1)w).
const addSine = ([left, right]: Mix, tone: Tone, harmonic: number) => {
  const step = (2 * Math.PI * frequencyOf(tone.note) * harmonic) / sampleRate
  const factor = 2 * Math.cos(step)
  const first = Math.round(tone.startS * sampleRate)
  const frames = Math.min(Math.round(tone.seconds * sampleRate), left.length - first)
  const attack = tone.attackS * sampleRate
  // Higher harmonics fade sooner, as on a plucked string.
  const decay = 0.5 ** (harmonic / (tone.halfLifeS * sampleRate))
  let [sine, previous, level] = [0, -Math.sin(step), tone.gain]
  for (let frame = 0; frame < frames; frame++) {
    const sample = sine * level * Math.min(1, frame / attack, (frames - frame) / attack)
    const at = first + frame
    left[at] = (left[at] ?? 0) + sample * (1 - tone.pan)
    right[at] = (right[at] ?? 0) + sample * tone.pan
    const next = factor * sine - previous
    previous = sine
    sine = next
    level *= decay
  }
}

const addTone = (mix: Mix, tone: Tone, timbre: readonly number[]) => {
  for (const [index, loudness] of timbre.entries())
    addSine(mix, { ...tone, gain: tone.gain * loudness }, index + 1)
}

const addChord = (mix: Mix, song: DemoSong, index: number) => {
  const [bass = 0, ...notes] = song.chords[index] ?? []
  const beatS = 60 / song.beatsPerMinute
  const seconds = song.beatsPerChord * beatS
  const startS = index * seconds
  const held = { startS, seconds: seconds + 0.6, attackS: 0.5, halfLifeS: 6 }
  for (const [voice, note] of notes.entries())
    addTone(mix, { ...held, note, gain: 0.07, pan: 0.2 + 0.2 * voice }, [1, 0.3])
  addTone(mix, { ...held, note: bass, gain: 0.22, pan: 0.5, attackS: 0.04, halfLifeS: 1.5 }, [1, 0.25])
  for (let half = 0; half < 2 * song.beatsPerChord; half++) {
    const note = notes[(song.plucks[half % song.plucks.length] ?? 0) - 1]
    const pluck = { startS: startS + (half * beatS) / 2, seconds: 1.6, attackS: 0.004, halfLifeS: 0.22 }
    if (note !== undefined)
      addTone(mix, { ...pluck, note: note + 12, gain: 0.2, pan: half % 2 ? 0.3 : 0.7 }, song.timbre)
  }
}

// Each echo is quieter, and comes from the other side.
const addEcho = ([left, right]: Mix, delayS: number) => {
  const delay = Math.round(delayS * sampleRate)
  for (let frame = delay; frame < left.length; frame++) {
    const [earlierLeft, earlierRight] = [left[frame - delay] ?? 0, right[frame - delay] ?? 0]
    left[frame] = (left[frame] ?? 0) + 0.28 * earlierRight
    right[frame] = (right[frame] ?? 0) + 0.28 * earlierLeft
  }
}

const writeHeader = (wav: Buffer) => {
  wav.write('RIFF', 0)
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(channels, 22)
  wav.writeUInt32LE(sampleRate, 24)
  wav.writeUInt32LE(sampleRate * channels * 2, 28)
  wav.writeUInt16LE(channels * 2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(wav.length - 44, 40)
}

const encodeWav = (mix: Mix) => {
  const frames = mix[0].length
  const highest = mix.reduce((most, samples) => samples.reduce((a, b) => Math.max(a, Math.abs(b)), most), 0)
  const scale = (peak * 32_767) / highest
  const wav = Buffer.alloc(44 + frames * channels * 2)
  writeHeader(wav)
  for (const [channel, samples] of mix.entries())
    for (let frame = 0; frame < frames; frame++)
      wav.writeInt16LE(Math.round((samples[frame] ?? 0) * scale), 44 + 2 * (frame * channels + channel))
  return wav
}

/** Synthesizes a song as a 16-bit stereo WAV file. The bytes are always the same. */
export const synthesizeSong = (song: DemoSong): Buffer => {
  const beatS = 60 / song.beatsPerMinute
  const frames = Math.round((song.chords.length * song.beatsPerChord * beatS + tailS) * sampleRate)
  const mix = [new Float64Array(frames), new Float64Array(frames)] as const
  for (const index of song.chords.keys()) addChord(mix, song, index)
  addEcho(mix, 0.75 * beatS)
  return encodeWav(mix)
}
