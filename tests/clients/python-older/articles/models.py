"""What the site has."""

from django.db import models


class Article(models.Model):
    title = models.CharField(max_length=100)
    body = models.TextField()
    author = models.CharField(max_length=50)
    published = models.DateTimeField()
    views = models.IntegerField()
