import { describe, expect, it } from 'vitest'
import { calculateProcessLimits } from '#jobs/analysis/analysis-limits.ts'
import type { AudioDescription } from '#jobs/analysis/audio-analysis.ts'
import { decodeWithFfmpeg } from '#jobs/analysis/decode-with-ffmpeg.ts'
import { recordChildProcesses } from '#test/support/child-processes.ts'
import { auHeader, createFakeFfmpeg } from '#test/support/fake-ffmpeg.ts'

const audio: AudioDescription = {
  family: 'mp3',
  contentType: 'audio/mpeg',
  fileSize: 1000,
  declaredS: undefined,
  sound: null,
  skippedBytes: 0,
  measures: { durationMs: null, sampleRate: null, channels: null },
  tags: [],
  lyrics: null,
}

// prlimit exists only on Linux.
describe.skipIf(process.platform !== 'linux')('decodeWithFfmpeg', () => {
  const createFfmpeg = createFakeFfmpeg()
  const never = new AbortController().signal
  const decode = async (script: string, limits: object = {}, signal = never) =>
    decodeWithFfmpeg(
      '/tmp/song',
      audio,
      await createFfmpeg(script),
      { ...calculateProcessLimits(audio.fileSize), sampleIntervalMs: 10, ...limits },
      signal,
    )
  const samples = String.raw`printf '\077\000\000\000\277\000\000\000'`

  it("measures the samples in ffmpeg's output", async () => {
    const decoded = await decode(`printf '${auHeader}'; ${samples}; ${samples}`)
    expect(decoded).toMatchObject({ frames: 4, sampleRate: 8000, waveform: { channels: 1, length: 1 } })
    expect(decoded).toHaveProperty('waveform.data', new Int8Array([-64, 64]))
  })

  it('reads samples and headers that arrive in parts', async () => {
    const [start, end] = [auHeader.slice(0, 20), auHeader.slice(20)]
    const parts = [
      `printf '${start}'`,
      `printf '${end}'`,
      String.raw`printf '\077\000'`,
      String.raw`printf '\000\000'`,
    ]
    expect(await decode(parts.join('; sleep 0.05; '))).toMatchObject({ frames: 1 })
  })

  it.each([
    ['crashes', 'kill -SEGV $$', 'corrupt'],
    ['crashes after some samples', `printf '${auHeader}'; ${samples}; kill -SEGV $$`, 'corrupt'],
    ['reports an error', 'echo "Invalid data found when processing input" >&2; exit 1', 'corrupt'],
    ['finds no sound', 'echo "Stream map \'0:a:0\' matches no streams." >&2; exit 1', 'empty'],
    ['knows no decoder', 'echo "Decoder (codec wma) not found for input stream" >&2; exit 1', 'undecodable'],
    ['returns no samples', `printf '${auHeader}'`, 'empty'],
    ['returns nothing', 'exit 0', 'empty'],
    ['returns something else', 'cat /dev/zero', 'corrupt'],
    [
      'writes more messages than a pipe holds',
      `head -c 5000000 /dev/zero >&2; printf '${auHeader}'; ${samples}`,
      { frames: 2 },
    ],
  ])('returns an outcome instead of throwing if the decoder %s', async (_, script, expected) => {
    const decoded = await decode(script)
    if (typeof expected === 'string') expect(decoded).toBe(expected)
    else expect(decoded).toMatchObject(expected)
  })

  it.each([
    ['sleeps', 'sleep 5', { timeMs: 200 }],
    ['writes messages without end', 'cat /dev/zero >&2', { timeMs: 200 }],
    ['computes without end', 'while :; do :; done', { cpuMs: 100 }],
    ['returns more samples than its file can contain', `printf '${auHeader}'; cat /dev/zero`, {}],
    ['cannot allocate memory', 'echo "Cannot allocate memory" >&2; exit 1', {}],
  ])('throws LimitExceededError if the decoder %s', async (_, script, limits) => {
    await expect(decode(script, limits)).rejects.toThrow(
      expect.objectContaining({ name: 'LimitExceededError' }),
    )
  })

  it.each([
    ['was killed', 'kill -TERM $$', 'SIGTERM'],
    ['cannot be started', 'exit 127', '127'],
  ])('throws a retryable error if ffmpeg %s', async (_, script, reason) => {
    await expect(decode(script)).rejects.toThrow(`ffmpeg exited with ${reason}`)
  })

  it('kills ffmpeg when the task is aborted', async () => {
    const [process] = await recordChildProcesses(() => decode('sleep 30', {}, AbortSignal.timeout(1000)))
    expect(process?.signalCode).toBe('SIGKILL')
  })

  it('leaves no process behind if it stops reading early', async () => {
    const [process] = await recordChildProcesses(() => decode(`printf '${auHeader}'; cat /dev/zero`))
    expect(process?.signalCode ?? process?.exitCode).not.toBeNull()
  })

  it('starts ffmpeg with resource limits that the kernel enforces', async () => {
    const [process] = await recordChildProcesses(() => decode('exit 0'))
    expect(process?.spawnargs.slice(1, 8)).toEqual([
      '--as=536870912',
      '--cpu=32',
      '--nproc=1024',
      '--nofile=32',
      '--fsize=0',
      '--core=0',
      '--',
    ])
    const limits = '[ "$(ulimit -v) $(ulimit -t) $(ulimit -n) $(ulimit -f)" = "524288 32 32 0" ]'
    expect(await decode(`${limits} && exit 0; exit 1`)).toBe('empty')
  })

  it('does not pass its own environment variables to ffmpeg', async () => {
    expect(await decode('[ -n "$MALLOC_ARENA_MAX" ] && [ -z "$HOME$USER$NODE_ENV" ] && exit 0; exit 1')).toBe(
      'empty',
    )
  })

  it('prevents ffmpeg from writing a file', async () => {
    expect(await decode('echo leaked > "$0.txt"; exit 0')).toBe('corrupt')
  })
})
