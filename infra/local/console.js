// Runs in the page of the API console, and adds what its renderer, Scalar, lacks.

const failure = document.querySelector('#failure');

document.querySelector('#skip-link').addEventListener('click', () => {
  document.querySelector('.show-api-client-button').focus();
});

new MutationObserver(() => {
  // Copy Scalar's error message, because Scalar soon removes it.
  const message = document.querySelector(
    '[data-sonner-toast][data-type="error"]:not([data-copied]) [data-title]',
  );
  if (message !== null) {
    message.closest('[data-sonner-toast]').dataset.copied = '';
    failure.querySelector('span').textContent = message.textContent;
    failure.showPopover();
  }
  // Scalar gives these buttons an icon, but no accessible name.
  for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])')) {
    button.ariaLabel = 'Copy the code';
  }
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener('click', ({ target }) => {
  if (target.closest('[data-addressbar-action="send"]') !== null) failure.hidePopover();
});
