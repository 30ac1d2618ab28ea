// Runs in the page of the API console, and adds what its renderer, Scalar, lacks.

const failure = document.querySelector('#failure');

document.querySelector('#skip-link').addEventListener('click', () => {
  document.querySelector('.show-api-client-button').focus();
});

new MutationObserver(() => {
  // Copy Scalar's error message, because Scalar removes the message after a few seconds.
  const messages = '[data-type="error"] [data-title]:not([data-copied])';
  for (const message of document.querySelectorAll(messages)) {
    message.dataset.copied = '';
    failure.querySelector('span').textContent = message.textContent;
    failure.showPopover();
  }
  // Scalar gives these buttons an icon, but no accessible name.
  for (const button of document.querySelectorAll('button[class*="copy-button"]')) {
    button.ariaLabel = 'Copy the code';
  }
}).observe(document.body, { childList: true, subtree: true });

// A click on "Send" should hide the message. Scalar has no event for this button, so every request of the page hides the
// message.
const sendRequest = window.fetch;
window.fetch = (...request) => {
  failure.hidePopover();
  return sendRequest(...request);
};

// Escape hides the message too. The Tab key cannot reach the message's button, because Scalar keeps the focus in the
// console.
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') failure.hidePopover();
});
