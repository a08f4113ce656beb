import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { installSwitch } from './switch.ts'

// A gateway with all mutants in its sources. A header selects the mutant for each request.
const { MUTATED_SOURCES = '', MUTANT = '', COVERAGE_FILE = '' } = process.env
const sources = new Map<string, string>(Object.entries(JSON.parse(readFileSync(MUTATED_SOURCES, 'utf8'))))
const recordRoute = installSwitch({ mutant: MUTANT || null, coverageFile: COVERAGE_FILE || null })

registerHooks({
  load(url, context, nextLoad) {
    const source = sources.get(url)
    return source === undefined
      ? nextLoad(url, context)
      : { format: 'module-typescript', source, shortCircuit: true }
  },
})

// Loaded only once the hook is registered, because the hook has to mutate these modules.
const { runServer } = await import('#bin/process/run-server.ts')
const { readSandboxSettings } = await import('#gateway/settings/settings.ts')
await runServer(readSandboxSettings, {
  // Many mutants make native fail. The guard must not send their routes to the core because of that.
  guard: (own) => ({
    ...own,
    settled: () => {},
    mayTryNative: (label) => {
      recordRoute(label)
      return true
    },
  }),
})
