import { describe, expect, it } from 'vitest';
import { render } from './template.ts';

// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html, its examples.
const event = {
  time: '2015-11-11T21:29:54Z',
  detail: { 'instance-id': 'i-0123456789', state: 'RUNNING', list: [1, 2], records: [{ a: 'b' }] },
};
const instance = '<$.detail.instance-id>';
const state = '<$.detail.state>';

describe('an input template', () => {
  it('is a text with variables', () => {
    expect(render(`"instance ${instance} is in ${state}"`, event)).toBe(
      '"instance i-0123456789 is in RUNNING"',
    );
  });

  it('keeps escaped quotes', () => {
    const quoted = `{"instance": ${instance}, "status": "instance \\"${instance}\\" is in ${state}"}`;
    expect(JSON.parse(render(quoted, event))).toEqual({
      instance: 'i-0123456789',
      status: 'instance "i-0123456789" is in RUNNING',
    });
  });

  it('is JSON, in which a string gets its quotes, and objects and lists stay what they are', () => {
    const mixed = `{"state": [9, ${state}, true], "list": <$.detail.list>, "first": <$.detail.records[0]>}`;
    expect(JSON.parse(render(mixed, event))).toEqual({
      state: [9, 'RUNNING', true],
      list: [1, 2],
      first: { a: 'b' },
    });
  });

  it('has reserved variables', () => {
    const named = '{"pipe": <aws.pipes.pipe-name>, "text": "<aws.pipes.pipe-name> ran"}';
    expect(JSON.parse(render(named, event, { 'aws.pipes.pipe-name': 'p' }))).toEqual({
      pipe: 'p',
      text: 'p ran',
    });
    expect(() => render('{"pipe": <aws.pipes.other>}', event)).toThrow('aws.pipes.other');
  });

  it('leaves out what is not in the event', () => {
    expect(render('{"x": <$.detail.none.at.all>}', event)).toBe('{"x": }');
  });

  it('does not escape what stands between quotes', () => {
    expect(render('{"x": "<$.a>"}', { a: '"' })).toBe('{"x": """}');
    expect(render('{"x": <$.a>}', { a: '"' })).toBe('{"x": "\\""}');
  });

  it('does not read variables in what it puts in', () => {
    expect(render('{"x": <$.a>}', { a: '<$.b>', b: 1 })).toBe('{"x": "<$.b>"}');
  });

  it('refuses paths that pipes do not have', () => {
    expect(() => render('<$..a>', {})).toThrow('$..a');
    expect(() => render("<$['a']>", {})).toThrow("$['a']");
  });

  // build-on-aws/content, tutorials/ddb-streams-to-eb-pipes: the event that its pipe put on the bus.
  it('leaves the numbers of DynamoDB the strings that they are in a stream', () => {
    const record = {
      dynamodb: {
        Keys: { GamerTag: { S: 'johndoe123' } },
        OldImage: { Score: { N: '42122' } },
        NewImage: { Score: { N: '42123' } },
      },
    };
    const template =
      '{"GamerTag": <$.dynamodb.Keys.GamerTag.S>, "OldScore": <$.dynamodb.OldImage.Score.N>, ' +
      '"NewScore": <$.dynamodb.NewImage.Score.N>}';
    expect(JSON.parse(render(template, record))).toEqual({
      GamerTag: 'johndoe123',
      OldScore: '42122',
      NewScore: '42123',
    });
  });
});
