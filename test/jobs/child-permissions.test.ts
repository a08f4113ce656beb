import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { analyseAudioInChild, inspectAssetInChild } from '#jobs/analysis/analyse-in-child.ts'
import { createChildPermissions } from '#jobs/analysis/run-child.ts'
import { recordChildProcesses } from '#test/support/child-processes.ts'

const run = promisify(execFile)

describe('the permissions of the analysis process', () => {
  let folder: string
  let script: string
  const server = createServer((socket) => socket.end())
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-permissions-'))
    script = join(folder, 'object')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  // Apart from the code, the process may read only its input file. In this test, the script is that file.
  const attempt = async (expression: string) => {
    await writeFile(
      script,
      `(async () => ${expression})().then(() => 'done', (error) => error.cause?.code ?? error.code).then(console.log)`,
    )
    const { stdout } = await run(process.execPath, [...createChildPermissions(script), script])
    return stdout.trim()
  }
  const port = () => (server.address() as AddressInfo).port
  const connect = (connecting: string) =>
    `new Promise((resolve, reject) => { ${connecting}.on('error', reject).on('connect', resolve) })`

  it.each([
    ['start a process', () => `require('node:child_process').spawnSync(process.execPath)`],
    ['fork itself', () => `require('node:child_process').fork(__filename)`],
    ['start a thread', () => `new (require('node:worker_threads').Worker)('1', { eval: true })`],
    ['write a file next to its input', () => `require('node:fs').writeFileSync(__filename + '.txt', 'x')`],
    ['overwrite its input', () => `require('node:fs').writeFileSync(__filename, 'x')`],
    ['write a temporary file', () => `require('node:fs').writeFileSync('${tmpdir()}/x', 'x')`],
    ['read other files', () => `require('node:fs').readFileSync('/etc/hostname')`],
    ['list the folder of its input', () => `require('node:fs').readdirSync('${folder}')`],
    ['read a file in the project folder', () => `require('node:fs').readFileSync('${process.cwd()}/.env')`],
    ['load native code', () => `process.dlopen({ exports: {} }, '${process.cwd()}/node_modules/x.node')`],
    ['use WASI', () => `new (require('node:wasi').WASI)({ version: 'preview1' })`],
  ])('do not allow the process to %s', async (_, expression) => {
    expect(await attempt(expression())).toMatch(/^ERR_(?:ACCESS_DENIED|DLOPEN_DISABLED)$/)
  })

  // Before version 25, Node cannot deny network access.
  it.skipIf(Number.parseInt(process.versions.node, 10) < 25).each([
    ['connect to a server', () => connect(`require('node:net').connect(${port()}, '127.0.0.1')`)],
    ['fetch a URL', () => `fetch('http://127.0.0.1:${port()}/')`],
    ['resolve a name', () => `require('node:dns').promises.lookup('localhost')`],
    ['listen on a port', () => `require('node:net').createServer().listen(0)`],
  ])('do not allow the process to %s', async (_, expression) => {
    expect(await attempt(expression())).toBe('ERR_ACCESS_DENIED')
  })

  it('apply to every analysis', async () => {
    await writeFile(script, 'text')
    const { signal } = new AbortController()
    const started = await recordChildProcesses(async () => {
      await analyseAudioInChild({ path: script, contentType: 'audio/wav' }, null, signal)
      await inspectAssetInChild(script, 'text/plain', signal)
    })
    expect(started).toHaveLength(2)
    for (const { spawnargs } of started)
      expect(spawnargs).toEqual(expect.arrayContaining(createChildPermissions(script)))
  })
})
