import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { analyseAudio } from '#jobs/analysis/analyse-audio.ts'
import { decodeRest } from '#jobs/analysis/analyse-in-child.ts'
import type { Ffmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { ffmpeg } from '../ffmpeg.ts'
import type { Bytes } from './audio-files.ts'

export const startAnalyses = () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-analysis-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const onDisk = async (bytes: Bytes) => {
    const path = join(folder, crypto.randomUUID())
    await writeFile(path, bytes)
    return path
  }
  const never = new AbortController().signal
  const analyseFile = async (path: string, contentType: string, decoder: Ffmpeg | null = ffmpeg) => {
    const analysis = await analyseAudio({ path, contentType, hasDecoder: decoder !== null })
    return decodeRest(path, analysis, decoder, never)
  }
  const analyse = async (bytes: Bytes, contentType: string, decoder: Ffmpeg | null = ffmpeg) =>
    analyseFile(await onDisk(bytes), contentType, decoder)
  /** Analyses a file and requires a result with a waveform. */
  const analyseSound = async (bytes: Bytes, contentType: string) => {
    const found = await analyse(bytes, contentType)
    if (found.failure) throw new Error(found.failure.code)
    if (typeof found.waveform === 'string') throw new Error(found.waveform)
    return { ...found, waveform: found.waveform }
  }
  return { onDisk, analyse, analyseFile, analyseSound }
}
