import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createPageResponse } from '#gateway/pages/page-app.ts'
import { pageStyle } from '#shared/page-style.ts'
import { consoleScript } from '#shared/run-time-files.ts'
import type { ConsoleApp } from './console-options.ts'
import { consoleStyle } from './views/console-style.ts'

const createAsset = (path: string, type: string, text: string) => {
  const version = hash('sha256', text, 'hex').slice(0, 16)
  return { path, type, text, version, address: `${path}?v=${version}` }
}

const script = readFileSync(consoleScript, 'utf8')

/** The addresses contain a hash of the content, so browsers can keep the files. */
export const assets = {
  style: createAsset('/console/console.css', 'text/css; charset=utf-8', pageStyle + consoleStyle),
  script: createAsset('/console/console.js', 'text/javascript; charset=utf-8', script),
}

export const mountAssets = (app: ConsoleApp): void => {
  for (const { path, type, text, version } of Object.values(assets))
    app.get(path, ({ req }) =>
      createPageResponse(text, {
        'content-type': type,
        // Another instance may serve a different version.
        'cache-control': req.query('v') === version ? 'public, max-age=31536000, immutable' : 'no-store',
      }),
    )
}
