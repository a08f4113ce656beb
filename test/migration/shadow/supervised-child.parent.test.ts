import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRunning } from '#test/support/child-processes.ts'
import { poll } from './open-child.ts'

const startParent = (mode: string, command = 'exec "$0" "$@"') => {
  const script = fileURLToPath(new URL('./supervising-parent.mjs', import.meta.url))
  const parent = spawn('sh', ['-c', command, process.execPath, script, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: { readonly pid?: number }[] = []
  createInterface(parent.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  onTestFinished(() => {
    parent.kill('SIGKILL')
    for (const { pid } of lines) if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  return { parent, lines }
}

describe('a supervised child process', { timeout: 60_000 }, () => {
  it('restarts after its parent has run out of file descriptors', async () => {
    const { lines } = startParent('without-file-descriptors', 'ulimit -n 64; exec "$0" "$@"')
    await poll(() => lines).toEqual([
      { message: 'shadow process exited', reason: 'exited' },
      { result: 1, pid: expect.any(Number) },
    ])
  })

  it.each(['SIGKILL', 'exit'])('ends with its parent after %s, even while it loops', async (end) => {
    const { parent, lines } = startParent(end)
    await poll(() => lines).toHaveLength(1)
    const pid = lines[0]!.pid!
    expect(isRunning(pid)).toBe(true)
    if (end === 'exit') parent.stdin.write('exit\n')
    else parent.kill('SIGKILL')
    await poll(() => isRunning(pid)).toBe(false)
  })
})
