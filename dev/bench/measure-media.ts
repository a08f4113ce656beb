import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import { calculateProcessLimits } from '#jobs/analysis/analysis-limits.ts'
import type { AudioDescription } from '#jobs/analysis/audio-analysis.ts'
import { decodeWithFfmpeg } from '#jobs/analysis/decode-with-ffmpeg.ts'
import { type Ffmpeg, findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { runChild } from '#jobs/analysis/run-child.ts'
import { readProcessUsage } from '#shared/processes/process-usage.ts'
import { measureInterleaved } from './measure.ts'
import type { Bench } from './open-bench.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'

interface Format {
  readonly name: string
  readonly family: MediaFamily
  readonly contentType: string
  readonly encode: readonly string[]
}

const encoded = (
  name: string,
  family: MediaFamily,
  contentType: string,
  ...encode: readonly string[]
): Format => ({ name, family, contentType, encode })

const formats = [
  encoded('wav', 'wav', 'audio/wav', '-c:a', 'pcm_s16le'),
  encoded('aiff', 'aiff', 'audio/aiff', '-c:a', 'pcm_s24be'),
  encoded('flac', 'flac', 'audio/flac', '-c:a', 'flac'),
  encoded('alac.m4a', 'mp4', 'audio/mp4', '-c:a', 'alac'),
  encoded('mp3', 'mp3', 'audio/mpeg', '-c:a', 'libmp3lame', '-b:a', '192k'),
  encoded('aac.m4a', 'mp4', 'audio/mp4', '-c:a', 'aac', '-b:a', '192k'),
  encoded('aac', 'aac', 'audio/aac', '-c:a', 'aac', '-b:a', '192k'),
  encoded('ogg', 'ogg', 'audio/ogg', '-c:a', 'libvorbis', '-q:a', '5'),
  encoded('opus', 'ogg', 'audio/opus', '-c:a', 'libopus', '-b:a', '96k'),
  encoded('webm', 'webm', 'audio/webm', '-c:a', 'libopus', '-b:a', '96k'),
]

const run = promisify(execFile)
const never = new AbortController().signal

// Ten minutes of stereo: two gliding tones that swell, plus noise.
const tone = (base: number, channel: number) =>
  `0.3*sin(2*PI*(${base}+100*sin(t/3))*t)*(0.6+0.4*sin(t))+0.2*(random(${channel})-0.5)`
const sound = ['-f', 'lavfi', '-i', `aevalsrc='${tone(200, 0)}|${tone(330, 1)}':s=44100:d=600`]

// Reads the user and system time of exited child processes; see proc_pid_stat(5).
const readCpuSecondsOfChildren = () => {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

const readPeakMbOfChildren = async () => {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean)
  const usages = await Promise.all(pids.map((pid) => readProcessUsage(Number(pid))))
  return Math.max(0, ...usages.map((usage) => (usage?.peakMemoryBytes ?? 0) / 1e6))
}

const measureWork = async (work: () => Promise<unknown>) => {
  let peakMb = 0
  const sampler = setInterval(async () => {
    peakMb = Math.max(peakMb, await readPeakMbOfChildren())
  }, 10)
  const [before, own] = [readCpuSecondsOfChildren(), process.cpuUsage()]
  await work()
  clearInterval(sampler)
  const { user, system } = process.cpuUsage(own)
  return { cpuS: readCpuSecondsOfChildren() - before, workerCpuS: (user + system) / 1e6, peakMb }
}

const sourceName = 'source.wav'

const measureFormat = async (format: Format, folder: string, ffmpeg: Ffmpeg, rounds: number) => {
  const { name, family, contentType, encode } = format
  const path = join(folder, `sound.${name}`)
  await run(ffmpeg.path, ['-v', 'error', '-i', join(folder, sourceName), ...encode, path])
  const { size: fileSize } = await stat(path)
  const limits = calculateProcessLimits(fileSize)
  const measures = { durationMs: null, sampleRate: null, channels: null }
  const stated = { declaredS: undefined, sound: null, skippedBytes: 0, measures, tags: [], lyrics: null }
  const audio: AudioDescription = { family, contentType, fileSize, ...stated }
  const task = { kind: 'audio', path, contentType, hasDecoder: false } as const
  const decoders = [
    { name: 'child', decode: (): Promise<unknown> => runChild(task, limits, never) },
    { name: 'ffmpeg', decode: () => decodeWithFfmpeg(path, audio, ffmpeg, limits, never) },
  ]
  const samples = await measureInterleaved(decoders, rounds, ({ decode }) => measureWork(decode))
  await rm(path)
  const [inChild = [], byFfmpeg = []] = samples.values()
  const seconds = (values: readonly number[]) => median(values).toFixed(2)
  const highest = (values: readonly number[]) => Math.max(...values).toFixed(0)
  return [
    name,
    (fileSize / 1e6).toFixed(1),
    seconds(inChild.map(({ cpuS }) => cpuS)),
    highest(inChild.map(({ peakMb }) => peakMb)),
    seconds(byFfmpeg.map(({ cpuS }) => cpuS)),
    highest(byFfmpeg.map(({ peakMb }) => peakMb)),
    seconds(byFfmpeg.map(({ workerCpuS }) => workerCpuS)),
  ]
}

export const measureMedia = async (_: Bench, { rounds }: { readonly rounds: number }) => {
  const ffmpeg = findFfmpeg(undefined)
  if (!ffmpeg) throw new Error('the measurement requires ffmpeg and prlimit')
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-media-'))
  try {
    await run(ffmpeg.path, ['-v', 'error', ...sound, join(folder, sourceName)])
    const rows: string[][] = []
    for (const format of formats) rows.push(await measureFormat(format, folder, ffmpeg, rounds))
    const columns = ['CPU s', 'peak MB', 'ffmpeg CPU s', 'ffmpeg peak MB', 'worker CPU s']
    return table(['', 'file MB', ...columns], rows)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
