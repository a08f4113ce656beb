import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { analyseAudio } from '#jobs/analysis/analyse-audio.ts'
import type { Bytes } from './audio-files.ts'

/** Writes files into a temporary folder and analyses them there. */
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
  const analyse = async (bytes: Bytes, contentType: string) => analyseAudio(await onDisk(bytes), contentType)
  /** Analyses a file and requires a result with a waveform. */
  const analyseSound = async (bytes: Bytes, contentType: string) => {
    const found = await analyse(bytes, contentType)
    if (found.failure) throw new Error(found.failure.code)
    if (!found.waveform) throw new Error('no waveform')
    return { ...found, waveform: found.waveform }
  }
  return { onDisk, analyse, analyseSound }
}
