import { hashDecisions } from './decide-splits.ts'

process.stdout.write(hashDecisions())
