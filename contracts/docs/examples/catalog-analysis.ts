import { exampleIds, exampleTime } from '../example-ids.ts'

const item = { type: 'track', id: exampleIds.track, title: 'Night Drive' }

const finding = {
  kind: 'missing_isrc',
  severity: 'blocker',
  subject: item,
  message: 'Night Drive has no ISRC.',
  action: 'Add the ISRC of the recording before it is released.',
}

const text = 'One track has no ISRC: Night Drive [1].'

const thread = {
  threadId: exampleIds.thread,
  title: 'What is missing before I can release my tracks?',
}

export const catalogAnalysisExamples = {
  Finding: finding,
  Analysis: {
    threadId: exampleIds.thread,
    messageId: exampleIds.message,
    answer: text,
    findings: [finding],
    citations: [item],
    model: 'configured',
    usage: { inputTokens: 1840, outputTokens: 62, toolCalls: 2 },
    createdAt: exampleTime,
  },
  AnalysisThreadPage: {
    records: [{ ...thread, messageCount: 2, createdAt: exampleTime, updatedAt: exampleTime }],
    nextCursor: null,
  },
  AnalysisThreadWithMessages: {
    ...thread,
    messages: [
      {
        messageId: exampleIds.message,
        role: 'assistant',
        text,
        citations: [item],
        createdAt: exampleTime,
      },
    ],
  },
}
