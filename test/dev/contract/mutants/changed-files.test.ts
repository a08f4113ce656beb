import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listChangedFiles } from '#dev/contract/mutants/sources.ts'

it('a run of the changed files includes a new handler that is not committed yet', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-changed-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.test', ...args], {
      cwd: folder,
    })
  git('init', '--quiet', '--initial-branch=main')
  for (const name of ['index.ts', 'kept.ts']) await writeFile(join(folder, name), 'before')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'before')
  await writeFile(join(folder, 'index.ts'), 'after')
  await writeFile(join(folder, 'new.ts'), 'after')
  expect([...(await listChangedFiles(folder))].sort()).toEqual(['index.ts', 'new.ts'])
})
