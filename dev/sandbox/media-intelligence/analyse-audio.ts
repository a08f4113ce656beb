import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import decodeWav from '@audio/decode-wav'
import MusicTempo from 'music-tempo'
import { estimateKey } from './key.ts'

const analysedSeconds = 60
const ffmpegSampleRate = 44_100
const ffmpegTimeoutMs = 60_000
const maxOutputBytes = 64 * 1024 * 1024

const mixToMono = (channels: readonly Float32Array[]) =>
  Float32Array.from(
    channels[0] ?? [],
    (_, index) => channels.reduce((sum, channel) => sum + (channel[index] ?? 0), 0) / channels.length,
  )

const readWav = async (url: string) => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`the object store returned ${response.status} for GET`)
  const { channelData, sampleRate } = decodeWav(await response.arrayBuffer())
  const first = channelData.map((samples) => samples.subarray(0, analysedSeconds * sampleRate))
  return { samples: mixToMono(first), sampleRate }
}

const run = promisify(execFile)

const readWithFfmpeg = async (url: string) => {
  const input = ['-nostdin', '-loglevel', 'error', '-protocol_whitelist', 'http,https,tcp,tls', '-i', url]
  const output = ['-t', analysedSeconds, '-map', '0:a:0', '-ac', 1, '-ar', ffmpegSampleRate].map(String)
  const { stdout } = await run('ffmpeg', [...input, ...output, '-f', 'f32le', 'pipe:1'], {
    encoding: 'buffer',
    timeout: ffmpegTimeoutMs,
    maxBuffer: maxOutputBytes,
  })
  const bytes = new Uint8Array(stdout)
  return {
    samples: new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4)),
    sampleRate: ffmpegSampleRate,
  }
}

/** Formats other than WAV require ffmpeg on the PATH. */
const decodeFirstMinute = (url: string, contentType: string) =>
  contentType.includes('wav') ? readWav(url) : readWithFfmpeg(url)

const estimateTempo = (samples: Float32Array, sampleRate: number) => {
  const hopSize = Math.round(sampleRate / 100)
  try {
    const tempo = Number(new MusicTempo(samples, { hopSize, timeStep: hopSize / sampleRate }).tempo)
    return tempo > 0 ? Math.round(tempo) : null
  } catch {
    // The library throws for audio without a beat.
    return null
  }
}

export const analyseAudio = async (url: string, contentType: string) => {
  const { samples, sampleRate } = await decodeFirstMinute(url, contentType)
  const tempo = estimateTempo(samples, sampleRate)
  const key = estimateKey(samples, sampleRate)
  return [
    ...(tempo === null
      ? []
      : [{ category: 'bpm', value: String(tempo), numericValue: tempo, confidence: null }]),
    ...(key === null
      ? []
      : [
          {
            category: 'key',
            value: key.key,
            numericValue: null,
            confidence: Math.round(key.confidence * 1000) / 1000,
          },
        ]),
  ]
}
