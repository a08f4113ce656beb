import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorker, workerFolder } from './bundle-worker.ts'

const unfinished = `${workerFolder}.${process.pid}`

// wrangler uploads every module of the folder, so it is replaced as a whole.
try {
  const { modules, sourceMaps } = await bundleWorker()
  await mkdir(unfinished, { recursive: true })
  for (const { name, contents } of [...modules, ...sourceMaps])
    await writeFile(join(unfinished, name), contents)
  await rm(workerFolder, { recursive: true, force: true })
  await rename(unfinished, workerFolder)
} finally {
  await rm(unfinished, { recursive: true, force: true })
}
