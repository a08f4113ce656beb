import { registerHooks } from 'node:module'

// A process under test imports this module, which reports to the parent each OpenTelemetry package that the process
// loads.
registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /node_modules\/(@opentelemetry\/[^/]+)/.exec(url) ?? []
    if (name) process.send?.({ loaded: name })
    return nextLoad(url, context)
  },
})
