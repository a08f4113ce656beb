import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

// Runs in its own process, which has no file descriptors left.
const source = `
  import { openSync } from 'node:fs'
  import { calculateProcessLimits } from ${JSON.stringify(import.meta.resolve('#jobs/analysis/analysis-limits.ts'))}
  import { runChild } from ${JSON.stringify(import.meta.resolve('#jobs/analysis/run-child.ts'))}
  const exhaust = () => {
    try {
      for (;;) openSync('/dev/null')
    } catch {}
  }
  const task = { kind: 'family', path: '/tmp/none', contentType: '', hasDecoder: false }
  process.stdout.write('')
  exhaust()
  const outcome = runChild(task, calculateProcessLimits(0), new AbortController().signal)
  process.stdout.write(await outcome.then(() => 'done', ({ name, code }) => name + ' ' + code))`

it('an analysis that cannot be started fails with a retryable error', async () => {
  const command = `ulimit -n 64; exec "$0" "$@"`
  const child = spawn('sh', ['-c', command, process.execPath, '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect(await text(child.stdout)).toBe('RetryLaterError analyser_unavailable')
})
