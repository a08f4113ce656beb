import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Child, startChild, startTimeout } from '#shared/processes/child-process.ts'
import { isRunning } from '#test/support/child-processes.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
// Simulates a machine that slept or a process that was paused.
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const module = JSON.stringify(import.meta.resolve('#shared/processes/child-process.ts'))

/** Starts a child that runs this code and is killed after the test. */
const startCode = (code: string, options: Partial<Parameters<typeof startChild>[0]> = {}) => {
  const child = startChild({
    args: ['--input-type=module', '--eval', code],
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...options,
  })
  onTestFinished(child.kill)
  return child
}

const waitUntilReady = async (child: Child) => expect(await child.firstMessage).toEqual({ value: 'ready' })

describe('a child process', () => {
  it('counts as exited only once everything it sent has been read', async () => {
    const child = startCode(`process.send('x'.repeat(5_000_000), () => process.exit(3))`)
    let length = 0
    child.process?.on('message', (text: string) => {
      length = text.length
    })
    expect(await child.exited).toEqual({ code: 3, signal: null, error: null })
    expect(length).toBe(5_000_000)
    expect(await child.firstMessage).toMatchObject({ value: expect.any(String) })
  })

  it('counts as exited only once everything it printed has been read', async () => {
    const code = `process.stdout.write('x'.repeat(200_000))`
    const child = startCode(code, { stdio: ['ignore', 'pipe', 'ignore'] })
    let length = 0
    const read = async () => {
      for await (const chunk of child.process?.stdout ?? []) {
        length += chunk.length
        await sleep(30)
      }
    }
    void read()
    await child.exited
    expect(length).toBe(200_000)
  })

  it('is not disturbed by a parent that has closed the channel', async () => {
    const code = `
      import { sendToParent } from ${module}
      sendToParent({ isReady: true })
      process.once('disconnect', () => {
        sendToParent({ isReady: true })
        setImmediate(() => process.exit(3))
      })`
    const child = startCode(code)
    expect(await child.firstMessage).toEqual({ value: { isReady: true } })
    child.process?.disconnect()
    expect(await child.exited).toEqual({ code: 3, signal: null, error: null })
  })

  it('has no first message if it ends without sending one', async () => {
    const child = startCode('process.kill(process.pid)')
    expect(await child.firstMessage).toBeNull()
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM', error: null })
  })

  it.each([
    ['there is no such program', { command: '/none', stdio: 'pipe' }, 'ENOENT'],
    ['its environment is invalid', { env: { A: '\0' } }, 'ERR_INVALID_ARG_VALUE'],
  ] as const)('counts as exited with an error if %s', async (_, options, code) => {
    const child = startCode('', options)
    expect(child.pid).toBeNull()
    expect(await child.firstMessage).toBeNull()
    expect(await child.exited).toMatchObject({ error: { code } })
    await child.stop(1000)
  })

  it('can safely be sent messages after it has ended', async () => {
    const child = startCode('')
    await child.exited
    for (const _ of [1, 2]) child.process?.send('late')
    await sleep(10)
  })

  it('counts as exited even if a process that it started holds its pipes open', async () => {
    const child = startCode(
      `import { spawn } from 'node:child_process'
       const { pid } = spawn('sleep', ['60'], { stdio: 'inherit', detached: true })
       process.send(pid, () => process.exit(0))`,
      { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    )
    const grandchild = Number((await child.firstMessage)?.value)
    onTestFinished(() => void process.kill(grandchild, 'SIGKILL'))
    expect(await child.exited).toMatchObject({ code: 0 })
    expect(isRunning(grandchild)).toBe(true)
    child.kill()
    expect(child.process?.stdout?.destroyed).toBe(true)
  })

  it('is stopped with SIGTERM, and may delay its exit', async () => {
    const child = startCode(
      `process.on('SIGTERM', () => setTimeout(() => process.exit(7), 100)); process.send('ready')
       setInterval(() => undefined, 1000)`,
    )
    await waitUntilReady(child)
    await child.stop(20_000)
    expect(await child.exited).toMatchObject({ code: 7 })
  })

  it('is killed if it ignores SIGTERM', async () => {
    const child = startCode(
      `process.on('SIGTERM', () => undefined); process.send('ready'); setInterval(() => undefined, 1000)`,
    )
    await waitUntilReady(child)
    const startedAt = performance.now()
    await child.stop(300)
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299)
  })
})

describe('a timeout for a child process', () => {
  it('starts over if this process was paused', async () => {
    let isOver = false
    onTestFinished(startTimeout(50, () => (isOver = true)))
    block(1200)
    await sleep(20)
    expect(isOver).toBe(false)
    await expect.poll(() => isOver).toBe(true)
  })

  it('fires only after messages that arrived while this process was busy', async () => {
    const child = startCode(
      `process.send('ready'); setTimeout(() => process.send('sent'), 100); setInterval(() => undefined, 1000)`,
    )
    await waitUntilReady(child)
    const events: unknown[] = []
    child.process?.on('message', (message) => events.push(message))
    onTestFinished(startTimeout(1500, () => events.push('over')))
    block(2000)
    await expect.poll(() => events).toEqual(['sent', 'over'])
  })

  it('can be cancelled even when it is due', async () => {
    let isOver = false
    const cancel = startTimeout(5, () => (isOver = true))
    setTimeout(cancel, 6)
    // Both timers are due in the same turn of the event loop.
    block(50)
    await sleep(20)
    expect(isOver).toBe(false)
  })
})

it('a timeout does not keep the process that started it running', async () => {
  const code = `import { startTimeout } from ${module}; startTimeout(60_000, () => undefined)`
  expect(await startCode(code).exited).toMatchObject({ code: 0 })
})

describe('a child process whose parent ends', () => {
  // The child runs `code`. The parent prints the child's id, then runs `end`, which kills the parent or makes it exit.
  const startFamily = async (code: string, options: object, end: string) => {
    const source = `
      import { startChild } from ${module}
      const child = startChild({
        args: ['--input-type=module', '--eval', ${JSON.stringify(code)}],
        env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], ...${JSON.stringify(options)},
      })
      process.stdout.write(child.pid + '\\n', async () => { ${end} })`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const pid = Number(await text(parent.stdout))
    onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
    return pid
  }
  const kill = `process.kill(process.pid, 'SIGKILL')`
  const loop = `process.send('ready'); for (;;);`
  const drain = (delayMs: number) => `
    import { onParentExit } from ${module}
    import { setTimeout as sleep } from 'node:timers/promises'
    await sleep(${delayMs})
    process.send('ready', () => undefined)
    onParentExit(() => process.exit(0))
    setInterval(() => undefined, 1000)`

  it('is killed when the parent exits, even if it is stuck in a loop', async () => {
    const pid = await startFamily(loop, {}, 'await child.firstMessage; process.exit(0)')
    await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false)
  })

  it.each([
    ['once the child is ready', 0, `await child.firstMessage; ${kill}`],
    ['before the child is ready', 700, kill],
  ])('exits on its own when the parent is killed %s', async (_, delayMs, end) => {
    const pid = await startFamily(drain(delayMs), { endsByItself: true }, end)
    await expect.poll(() => isRunning(pid), { timeout: 8000 }).toBe(false)
  })

  it('may exit on its own when the parent exits', async () => {
    const code = `
      import { onParentExit } from ${module}
      onParentExit(() => setTimeout(() => process.exit(0), 2000))
      process.send('ready')`
    const pid = await startFamily(code, { endsByItself: true }, 'await child.firstMessage; process.exit(0)')
    expect(isRunning(pid)).toBe(true)
    await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false)
  })
})
