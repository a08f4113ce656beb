import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openPorts, requireFreePorts, selectListeners } from '#dev/start/ports.ts'
import { acquireStartLock } from '#dev/start/start-lock.ts'

let stateDir: string
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'ports-'))
  return () => rm(stateDir, { recursive: true })
})

const listen = async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { port, close: () => new Promise((resolve) => server.close(resolve)) }
}

const rememberPort = async (port: number) => {
  const ports = await openPorts(stateDir)
  ports.record('core', `http://127.0.0.1:${port}`)
  await ports.save()
}

describe("the sandbox's ports", () => {
  it('stay the same at the next start if they are free', async () => {
    const { port, close } = await listen()
    await close()
    await rememberPort(port)
    const ports = await openPorts(stateDir)
    expect(await ports.select('core')).toBe(port)
    expect(await ports.select('store')).toBe(0)
    expect(await ports.save()).toEqual([])
  })

  it('change if they are in use, and npm start says so', async () => {
    const { port } = await listen()
    await rememberPort(port)
    const ports = await openPorts(stateDir)
    expect(await ports.select('core')).toBe(0)
    ports.record('core', 'http://127.0.0.1:1')
    expect(await ports.save()).toEqual([`Port ${port} is in use. The core is on port 1 instead.`])
    expect(await (await openPorts(stateDir)).select('core')).toBe(1)
  })

  it("follow the user's settings, and an error names the setting if its port is in use", async () => {
    const { port } = await listen()
    const given = { PORT: '0', ADMIN_PORT: 'off', JOBS_ADMIN_PORT: String(port) }
    expect(await selectListeners(given, await openPorts(stateDir))).toEqual(given)
    await expect(requireFreePorts(given)).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use: set JOBS_ADMIN_PORT to a free port`,
    )
    await expect(requireFreePorts({ PORT: '0', ADMIN_PORT: 'off' })).resolves.toBeUndefined()
  })
})

describe('a folder where npm start is running', () => {
  it('cannot be used by a second npm start until the first has stopped', async () => {
    const release = await acquireStartLock(stateDir)
    await expect(acquireStartLock(stateDir)).rejects.toThrow(
      `npm start is already running in this folder (process ${process.pid}). Stop it first with Ctrl-C.`,
    )
    await release()
    await (await acquireStartLock(stateDir))()
  })
})
