import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type AdminUrls = { readonly [P in 'gateway' | 'jobs']?: string | null }

/** Keeps the file `admin.json`, where other commands find the running installation's admin listeners and base URL. */
export const createAdminRecord = (stateDir: string) => {
  const file = join(stateDir, 'admin.json')
  let urls: AdminUrls = {}
  let serviceUrl: string | null = null
  let writes: Promise<void> = Promise.resolve()

  const replaceFile = async () => {
    const draft = `${file}.new`
    await writeFile(draft, `${JSON.stringify({ ...urls, service: serviceUrl }, null, 2)}\n`)
    await rename(draft, file)
  }

  const record = () => {
    const written = writes.then(replaceFile)
    writes = written.catch(() => undefined)
    return written
  }

  return {
    urls: () => urls,
    isWritten: () => Object.keys(urls).length > 0,
    write(process: keyof AdminUrls, url: string | null) {
      urls = { ...urls, [process]: url }
      return record()
    },
    writeService(url: string) {
      serviceUrl = url
      return record()
    },
    async remove() {
      urls = {}
      await writes
      await rm(file, { force: true })
    },
  }
}
