import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeAbandonedFiles, withTemporaryFile } from '#jobs/temporary-files.ts'

const createWorkersFolder = async () => {
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
  const path = join(tmpdir(), `crossfade-jobs-${id}`)
  const folder = `${path}-x`
  await mkdir(folder, { mode: 0o700 })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { folder, socket: `${path}.sock` }
}

describe('the temporary files of a job worker', () => {
  it('are removed only if it is no longer running, whatever its process id', async () => {
    const [killed, unannounced, running] = [
      await createWorkersFolder(),
      await createWorkersFolder(),
      await createWorkersFolder(),
    ]
    // Nobody listens, as after a SIGKILL.
    await writeFile(killed.socket, '')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(running.socket, resolve))
    onTestFinished(() => void server.close())
    await withTemporaryFile(async (own) => {
      await removeAbandonedFiles()
      expect([killed.folder, killed.socket, unannounced.folder].filter((path) => existsSync(path))).toEqual(
        [],
      )
      expect([running.folder, running.socket, dirname(own)].filter((path) => !existsSync(path))).toEqual([])
    })
  })

  it.runIf(process.getuid?.() === 0)('do not keep the worker of a different user from starting', async () => {
    const { folder } = await createWorkersFolder()
    const module = new URL('../../jobs/temporary-files.ts', import.meta.url)
    const program = `await (await import(${JSON.stringify(module.href)})).removeAbandonedFiles()`
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { uid: 65_534 })
    expect(existsSync(folder)).toBe(true)
  })

  it('are made even in a folder whose path is too long for a socket', async () => {
    const folder = join(tmpdir(), `crossfade-${'x'.repeat(120)}`)
    await mkdir(folder, { recursive: true })
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const module = new URL('../../jobs/temporary-files.ts', import.meta.url)
    const program = `
      const { removeAbandonedFiles, withTemporaryFile } = await import(${JSON.stringify(module.href)})
      await withTemporaryFile(async (path) => {
        await removeAbandonedFiles()
        console.log(path)
      })`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { ...process.env, TMPDIR: folder } },
    )
    expect(stdout).toMatch(new RegExp(`^${folder}/crossfade-jobs-kept-[^/]+/object\\n$`))
  })
})
