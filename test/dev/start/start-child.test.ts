import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '#dev/start/start-child.ts'

const program = `
  process.on('disconnect', () => process.exit())
  process.send({ url: JSON.stringify([process.env.CORS_ORIGINS ?? 'unset', process.env.LOG_LEVEL]) })
`

it("leaves a part's empty settings unset, because the sandbox core would reject an empty one", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-child-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const module = join(folder, 'program.mjs')
  await writeFile(module, program)
  const settings = { CORS_ORIGINS: '', LOG_LEVEL: 'warn' }
  const started = await startServer('the program', pathToFileURL(module), settings)
  onTestFinished(() => started.stop())
  expect(JSON.parse(started.url)).toEqual(['unset', 'warn'])
})
