import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Ffmpeg } from '#jobs/analysis/find-ffmpeg.ts'

/** An AU header for mono at 8 kHz, as an argument of printf. */
export const auHeader = String.raw`.snd\000\000\000\030\377\377\377\377\000\000\000\006\000\000\037\100\000\000\000\001`

/** Creates shell scripts that stand in for ffmpeg. */
export const createFakeFfmpeg = () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-ffmpeg-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  return async (script: string): Promise<Ffmpeg> => {
    const path = join(folder, crypto.randomUUID())
    await writeFile(path, `#!/bin/sh\n${script}\n`)
    await chmod(path, 0o755)
    return { path, prlimitPath: '/usr/bin/prlimit' }
  }
}
