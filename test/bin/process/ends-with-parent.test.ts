import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { isRunning } from '#test/support/child-processes.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const harness = startTestGateway({ core: 'recording' })

/**
 * Starts a module as the child of another process, and kills that parent before the module is ready. Returns the
 * module's process id.
 */
const startOrphan = async (module: string) => {
  const source = `
    import { startChild } from ${JSON.stringify(import.meta.resolve('#shared/processes/child-process.ts'))}
    const { pid } = startChild({
      args: [${JSON.stringify(module)}],
      env: process.env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      endsByItself: true,
    })
    process.stdout.write(pid + '\\n', () => process.kill(process.pid, 'SIGKILL'))`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    env: {
      PATH: process.env.PATH,
      ...harness.environment,
      PUBLIC_BASE_URL: 'https://api.example',
      DRAIN_MS: '0',
      JOBS_ADMIN_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const pid = Number(await text(parent.stdout))
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
  return pid
}

it.each(['server', 'jobs'])(
  'the %s process exits if its parent was killed while the process was starting',
  async (name) => {
    const pid = await startOrphan(fileURLToPath(import.meta.resolve(`#bin/${name}.ts`)))
    expect(isRunning(pid)).toBe(true)
    await expect.poll(() => isRunning(pid), { timeout: 50_000 }).toBe(false)
  },
  60_000,
)
