import { registerHooks } from 'node:module'

// Imported by a process under test: reports each package of OpenTelemetry that it loads to its parent.
registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /node_modules\/(@opentelemetry\/[^/]+)/.exec(url) ?? []
    if (name) process.send?.({ loaded: name })
    return nextLoad(url, context)
  },
})
