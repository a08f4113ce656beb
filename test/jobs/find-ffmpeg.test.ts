import { dirname } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { createFakeFfmpeg } from '#test/support/fake-ffmpeg.ts'

// prlimit exists only on Linux.
describe.skipIf(process.platform !== 'linux')('findFfmpeg', () => {
  const createFfmpeg = createFakeFfmpeg()
  afterEach(() => {
    vi.unstubAllEnvs()
  })
  const working = 'echo "ffmpeg version 7.1"'

  it('returns the given program if it runs', async () => {
    const { path } = await createFfmpeg(working)
    expect(findFfmpeg(path)).toEqual({ path, prlimitPath: expect.stringMatching(/^\/.*\/prlimit$/) })
  })

  it.each([
    ['does not run', 'exit 1'],
    ['is another program', 'echo "sox version 14"'],
  ])('returns null if the given program %s', async (_, script) => {
    const { path } = await createFfmpeg(script)
    expect(findFfmpeg(path)).toBeNull()
  })

  it('returns null if the given program does not exist, even if there is one on PATH', () => {
    expect(findFfmpeg('/missing/ffmpeg')).toBeNull()
  })

  it('returns null without prlimit, because ffmpeg never runs without limits', async () => {
    const { path } = await createFfmpeg(working)
    vi.stubEnv('PATH', dirname(path))
    expect(findFfmpeg(path)).toBeNull()
  })

  it('returns null if no path is given and PATH has no ffmpeg', () => {
    vi.stubEnv('PATH', '/missing')
    expect(findFfmpeg(undefined)).toBeNull()
  })
})
